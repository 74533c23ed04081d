// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.answer;

/** What every door of the service promises alike. */
public final class Contract {

    /** Where payments are sent to and read; all other paths of payments and refunds begin with it. */
    public static final String PAYMENTS = "/v1/payments";
    /** In bytes, of one request's body, one line of a batch or one record's value. */
    public static final int LARGEST_BODY = 64 * 1024;

    private Contract() {}
}
