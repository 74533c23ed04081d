// SPDX-License-Identifier: Apache-2.0
/** Lines of merchants that take turns, wherever work queues; it knows nothing else. */
package io.chargeonce.fairness;
