// SPDX-License-Identifier: Apache-2.0
/** How a process runs: its settings, its start and end, its health and its meters. Knows nothing of payments. */
package io.chargeonce.runtime;
