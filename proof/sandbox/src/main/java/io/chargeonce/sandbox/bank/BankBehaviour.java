// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.bank;

/** What the bank can be told to do to the next files or connections. */
public enum BankBehaviour {
    /** The connection breaks after the first bytes of a file are written. */
    CUT_AFTER_WRITE,
    /** The rename happens, and the connection breaks before its answer. */
    CUT_AFTER_RENAME,
    /** A file cannot be created. */
    PERMISSION_DENIED,
    /** A file cannot grow. */
    DISK_FULL,
    /** No answer comes until {@link SandboxBank#release}. */
    LATE,
    /** Each answer comes twice: the same bytes under another name. */
    TWICE,
    /** A file of garbage, and one that names an entity, come with the answer. */
    GARBAGE,
    /** The whole file is rejected. */
    REJECT_FILE,
    /** The bookings come in a camt.053 too. */
    STATEMENT
}
