// SPDX-License-Identifier: Apache-2.0
/** What production runs: the entry to every command, and the commands that ship. It knows no sandbox, load, checker or broker. */
package io.chargeonce.app;
