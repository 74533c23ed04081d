// SPDX-License-Identifier: Apache-2.0
/** A real broker and a real Postgres in this process, for trials and tests. It knows no class of the product. */
package io.chargeonce.sandbox;
