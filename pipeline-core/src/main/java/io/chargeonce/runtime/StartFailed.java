// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

/** A part of a service could not start, and the parts before it were closed again. The message is one line for an operator. */
public final class StartFailed extends RuntimeException {
    StartFailed(String service, String part, Exception reason) {
        super(service + " can't start, because its " + part + " failed: " + reason.getMessage(), reason);
    }
}
