// SPDX-License-Identifier: Apache-2.0
/** Evidence about money that moved: lines of banks and of settlement reports, taken once each, under the operation's lock. */
package io.chargeonce.charge.evidence;
