// SPDX-License-Identifier: Apache-2.0
/**
 * A consumer of {@code payments.outcomes} and a receiver of webhooks, as another team would write them. They know the documents, and no
 * class of the pipeline.
 */
package io.chargeonce.examples;
