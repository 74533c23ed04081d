// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.webhook;

import io.chargeonce.psp.Notice;

/** Turns what a webhook says into the form in which it is kept, and back. Pure. */
final class KeptSaid {

    private KeptSaid() {}

    static UnmatchedNotices.Said toKeep(Notice.Said said) {
        return switch (said) {
            case Notice.Ended ended -> new UnmatchedNotices.Ended(ended.money(), ended.givesBack(), ended.outcome());
            case Notice.CaptureFailed failed -> new UnmatchedNotices.CaptureFailed(failed.money(), failed.at(), failed.reason());
            case Notice.TakenBack taken -> new UnmatchedNotices.TakenBack(taken.money(), taken.event(), taken.why());
            case Notice.CapturedAgain again -> new UnmatchedNotices.CapturedAgain(again.money(), again.at());
        };
    }

    static Notice.Said fromKept(UnmatchedNotices.Said said) {
        return switch (said) {
            case UnmatchedNotices.Ended ended -> new Notice.Ended(ended.money(), ended.givesBack(), ended.outcome());
            case UnmatchedNotices.CaptureFailed failed -> new Notice.CaptureFailed(failed.money(), failed.at(), failed.reason());
            case UnmatchedNotices.TakenBack taken -> new Notice.TakenBack(taken.money(), taken.event(), taken.why());
            case UnmatchedNotices.CapturedAgain again -> new Notice.CapturedAgain(again.money(), again.at());
        };
    }
}
