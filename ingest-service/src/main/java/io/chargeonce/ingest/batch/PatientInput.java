// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.batch;

import io.chargeonce.http.Deadline;
import io.helidon.common.buffers.DataReader;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** Limits how long each read may wait for the client. One thread. */
final class PatientInput extends FilterInputStream {

    private final Deadline patience;

    PatientInput(InputStream in, Deadline patience) {
        super(in);
        this.patience = patience;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        try {
            return patience.within(() -> {
                try {
                    return in.read(buffer, offset, length);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        } catch (UncheckedIOException e) {
            throw new IOException("the client stopped sending", e);
        } catch (DataReader.InsufficientDataAvailableException e) {
            throw new IOException("the client left in the middle of its body", e);
        }
    }
}
