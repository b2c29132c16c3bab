/**
 * The audit log in Redis: who changed what, when, from where, and what it was before and after. {@link
 * io.headgate.redis.audit.RedisAuditLog} reads and writes it.
 */
@NullMarked
package io.headgate.redis.audit;

import org.jspecify.annotations.NullMarked;
