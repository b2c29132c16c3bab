/**
 * The writing side of the audit log: who changed what, when, from where, and what it was before and after. Records are written to Redis, to
 * a file as JSON lines, and as lines for people to the log.
 */
@NullMarked
package io.headgate.server.audit;

import org.jspecify.annotations.NullMarked;
