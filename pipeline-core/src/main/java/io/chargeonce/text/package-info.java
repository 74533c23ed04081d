// SPDX-License-Identifier: Apache-2.0
/** Foreign text, made safe for a terminal. */
package io.chargeonce.text;
