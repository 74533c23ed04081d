// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

/** Which PSPs may get an operation's next attempt. */
public enum NextPsp {
    ANY,
    /** Only the PSP of the last attempt. */
    THIS,
    /** Any but the PSP of the last attempt. */
    ANOTHER,
    NONE;

    /** @param isThis whether the PSP in question made the last attempt */
    public boolean allows(boolean isThis) {
        return switch (this) {
            case ANY -> true;
            case THIS -> isThis;
            case ANOTHER -> !isThis;
            case NONE -> false;
        };
    }
}
