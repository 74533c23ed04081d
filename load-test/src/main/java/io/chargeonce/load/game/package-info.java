/** What the inside and the outside of a universe say to each other. */
package io.chargeonce.load.game;
