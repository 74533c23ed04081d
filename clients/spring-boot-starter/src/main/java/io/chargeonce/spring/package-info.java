// SPDX-License-Identifier: Apache-2.0
/** The Java client in a Spring Boot application. It knows the client and Spring Boot, and nothing else of ours. */
package io.chargeonce.spring;
