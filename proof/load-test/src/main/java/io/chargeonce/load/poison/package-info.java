// SPDX-License-Identifier: Apache-2.0
/** Records that can never become a payment, and any recorded ones, to be put on a topic. */
package io.chargeonce.load.poison;
