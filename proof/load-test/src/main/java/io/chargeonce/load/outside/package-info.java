// SPDX-License-Identifier: Apache-2.0
/** What a merchant knows of its webhooks: the same for universes and campaigns. It knows neither. */
package io.chargeonce.load.outside;
