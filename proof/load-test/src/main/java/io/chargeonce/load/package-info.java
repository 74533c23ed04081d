// SPDX-License-Identifier: Apache-2.0
/** Load, poison, faults and planted bugs: {@code ./chargeonce load}. Start reading at {@link io.chargeonce.load.LoadCommand}. */
package io.chargeonce.load;
