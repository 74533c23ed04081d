// SPDX-License-Identifier: Apache-2.0
/** How payments travel on Kafka: topic names, records, headers. Records inform; they never decide. */
package io.chargeonce.wire;
