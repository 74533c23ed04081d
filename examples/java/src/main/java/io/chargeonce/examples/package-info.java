// SPDX-License-Identifier: Apache-2.0
/** A consumer of {@code payments.outcomes}, as another team would write it. It knows the documents, and no class of the pipeline. */
package io.chargeonce.examples;
