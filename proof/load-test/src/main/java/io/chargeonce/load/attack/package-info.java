// SPDX-License-Identifier: Apache-2.0
/**
 * What an attacker would try at a running pipeline, from outside. Knows HTTP, JDBC and the pipeline's documentation, and no class of
 * the product; it reaches nothing but this machine.
 */
package io.chargeonce.load.attack;
