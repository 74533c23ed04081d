// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.topic;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.OptionalInt;

/**
 * The revisions of the live dead letters at one moment, by a hash of the id: sixteen bytes each, so that a million of them
 * fit beside everything else. Also notes which of them have been seen. One thread.
 */
final class LiveRevisions {

    private long[] hashes = new long[1 << 12];
    /** 0 is an empty place; a revision is at least 1, and negative once it was seen. */
    private int[] revisions = new int[1 << 12];
    private int size;

    void put(String id, int revision) {
        if (size * 2 >= hashes.length) {
            grow();
        }
        int place = place(hash(id));
        size += revisions[place] == 0 ? 1 : 0;
        hashes[place] = hash(id);
        revisions[place] = revision;
    }

    OptionalInt revision(String id) {
        int revision = revisions[place(hash(id))];
        return revision == 0 ? OptionalInt.empty() : OptionalInt.of(Math.abs(revision));
    }

    /** Of one that is live. */
    void see(String id) {
        int place = place(hash(id));
        revisions[place] = -Math.abs(revisions[place]);
    }

    boolean isUnseen(String id) {
        return revisions[place(hash(id))] > 0;
    }

    private int place(long hash) {
        int place = (int) hash & hashes.length - 1;
        while (revisions[place] != 0 && hashes[place] != hash) {
            place = place + 1 & hashes.length - 1;
        }
        return place;
    }

    private void grow() {
        long[] oldHashes = hashes;
        int[] oldRevisions = revisions;
        hashes = new long[oldHashes.length * 2];
        revisions = new int[oldHashes.length * 2];
        for (int i = 0; i < oldHashes.length; i++) {
            if (oldRevisions[i] != 0) {
                int place = place(oldHashes[i]);
                hashes[place] = oldHashes[i];
                revisions[place] = oldRevisions[i];
            }
        }
    }

    private static long hash(String id) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(id.getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.wrap(Arrays.copyOf(digest, Long.BYTES)).getLong();
        } catch (NoSuchAlgorithmException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }
}
