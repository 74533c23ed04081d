// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka;

/** A client setting that a guarantee depends on. It is written in code, and a properties file that sets it is refused. */
public record FixedSetting(String name, Object value, String reason) {}
