// SPDX-License-Identifier: Apache-2.0
/** The charge bench: each contestant drains the same backlog of payments through the same PSP stub. */
package io.chargeonce.bench.charge;
