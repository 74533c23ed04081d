// SPDX-License-Identifier: Apache-2.0
/** What many shards would do under a load that this machine cannot make: a queueing model, fed with measured figures. */
package io.chargeonce.load.scale;
