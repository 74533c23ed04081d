// SPDX-License-Identifier: Apache-2.0
/** What each statement of the services costs Postgres, as they run. */
package io.chargeonce.bench.cost;
