// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.plant;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.UUID;

/** The code of planted bugs in webhooks and receipts. Called from methods they were written into, on any thread. */
public final class DeliveryTampering {

    private static final int WELL = 250;

    private DeliveryTampering() {}

    /** The answer of a sender for a try that went well, which is a package's own. */
    public static Object well(Object answer, String name) {
        try {
            Class<?> type =
                    Class.forName(answer.getClass().getPackageName() + ".Answer$" + name, false, answer.getClass().getClassLoader());
            Constructor<?> made = type.getDeclaredConstructor(int.class);
            made.setAccessible(true);
            return made.newInstance(WELL);
        } catch (ReflectiveOperationException e) {
            throw doesNotFit(e);
        }
    }

    public static String freshId(String prefix) {
        return prefix + UUID.randomUUID().toString().replace("-", "");
    }

    public static Object underFreshId(Object receipt) {
        try {
            Method attempt = receipt.getClass().getDeclaredMethod("attempt");
            Method fence = receipt.getClass().getDeclaredMethod("fence");
            Constructor<?> made = receipt.getClass().getDeclaredConstructor(String.class, int.class, long.class);
            attempt.setAccessible(true);
            fence.setAccessible(true);
            made.setAccessible(true);
            return made.newInstance(freshId("rcp_"), attempt.invoke(receipt), fence.invoke(receipt));
        } catch (ReflectiveOperationException e) {
            throw doesNotFit(e);
        }
    }

    private static IllegalStateException doesNotFit(ReflectiveOperationException why) {
        return new IllegalStateException("Bug! The planted one does not fit the code any more", why);
    }
}
