// SPDX-License-Identifier: Apache-2.0
/**
 * Records that the broker refuses: looks at them, offers them again, or drops them.
 * May know the root only.
 */
package io.chargeonce.dlq.refused;
