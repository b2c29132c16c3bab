/**
 * What HTTP servers and clients need of a decision, independent of any server: rate limit fields, problem bodies, receipts for refunds,
 * and descriptions of limits.
 */
@NullMarked
package io.headgate.http;

import org.jspecify.annotations.NullMarked;
