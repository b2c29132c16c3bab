/**
 * Converts decisions for HTTP, independent of any server: rate limit fields, problem bodies, receipts for refunds, and descriptions of
 * limits.
 */
@NullMarked
package io.headgate.http;

import org.jspecify.annotations.NullMarked;
