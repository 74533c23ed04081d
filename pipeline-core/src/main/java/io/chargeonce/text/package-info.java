// SPDX-License-Identifier: Apache-2.0
/** Foreign text: read in all its forms, and made safe for a terminal; and numbers and durations in words. Pure. */
package io.chargeonce.text;
