/** Open-loop load over HTTP, and what came of it. */
package io.chargeonce.load.traffic;
