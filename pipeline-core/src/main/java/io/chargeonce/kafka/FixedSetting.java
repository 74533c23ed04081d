// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka;

/** A client setting that carries a guarantee: written in code, and refused in a properties file. */
public record FixedSetting(String name, Object value, String reason) {}
