// SPDX-License-Identifier: Apache-2.0
/** The page of figures, made from the latest kept results and from nothing else. */
package io.chargeonce.bench.report;
