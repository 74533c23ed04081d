// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.batch;

import io.chargeonce.http.Deadline;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/** Limits how long each write may wait for the client. One thread. */
final class PatientOutput extends FilterOutputStream {

    private final Deadline patience;

    PatientOutput(OutputStream out, Deadline patience) {
        super(out);
        this.patience = patience;
    }

    @Override
    public void write(byte[] buffer, int offset, int length) throws IOException {
        inTime(() -> out.write(buffer, offset, length));
    }

    @Override
    public void flush() throws IOException {
        inTime(out::flush);
    }

    private interface Write {
        void run() throws IOException;
    }

    private void inTime(Write write) throws IOException {
        try {
            patience.within(() -> {
                try {
                    write.run();
                    return true;
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        } catch (UncheckedIOException e) {
            throw new IOException("the client stopped taking answers", e);
        }
    }
}
