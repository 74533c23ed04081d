// SPDX-License-Identifier: Apache-2.0
/** What the inside and the outside of a universe say to each other. */
package io.chargeonce.load.game;
