// SPDX-License-Identifier: Apache-2.0
/** What is sealed at rest: the bytes of files, in parts, and who pays by a mandate. */
package io.chargeonce.bank.store;
