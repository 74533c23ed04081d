// SPDX-License-Identifier: Apache-2.0
/** Bugs planted one at a time, to see that the checker catches them. Nothing of it is shipped with the services. */
package io.chargeonce.load.plant;
