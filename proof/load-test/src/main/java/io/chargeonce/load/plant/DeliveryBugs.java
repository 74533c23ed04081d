// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.plant;

import java.util.Map;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** The advice of the bugs in webhooks and receipts. Its code is copied into the place of the bug, so it may only call what is public. */
final class DeliveryBugs {

    private DeliveryBugs() {}

    static final class DeliveredAnyhow {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object answer) {
            answer = DeliveryTampering.well(answer, "Delivered");
        }
    }

    static final class SentAnyhow {
        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object answer) {
            answer = DeliveryTampering.well(answer, "Sent");
        }
    }

    static final class FreshWebhookId {
        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(1) Map<String, String> headers) {
            headers.put("webhook-id", DeliveryTampering.freshId("msg_"));
        }
    }

    static final class FreshReceiptId {
        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(value = 0, readOnly = false, typing = Assigner.Typing.DYNAMIC) Object receipt) {
            receipt = DeliveryTampering.underFreshId(receipt);
        }
    }
}
