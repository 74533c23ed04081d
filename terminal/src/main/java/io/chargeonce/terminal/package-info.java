// SPDX-License-Identifier: Apache-2.0
/** What every command prints on: a screen of some width, and tables that fit it. It knows no payment. */
package io.chargeonce.terminal;
