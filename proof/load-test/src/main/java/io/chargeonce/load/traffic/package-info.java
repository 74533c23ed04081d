// SPDX-License-Identifier: Apache-2.0
/** Open-loop load over HTTP, and what came of it. */
package io.chargeonce.load.traffic;
