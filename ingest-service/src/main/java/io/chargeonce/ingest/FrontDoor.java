package io.chargeonce.ingest;

import java.util.List;

/** Lets in who has a credential and has not come too often. Any thread. */
record FrontDoor(Merchants merchants, RateLimits limits) {

    /** @param authorization the header's values, as many as were sent */
    Checked<Merchant> admit(List<String> authorization) {
        return switch (merchants.authenticate(authorization)) {
            case Checked.Wrong<Merchant> wrong -> wrong;
            case Checked.Right<Merchant> right -> limits.admits(right.value())
                    ? right
                    : new Checked.Wrong<>(Problems.tooManyRequests(right.value().requestsPerSecond().orElseThrow()));
        };
    }
}
