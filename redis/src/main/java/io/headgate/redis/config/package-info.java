/** A configuration in Redis that all processes share, such as the policies of servers, with its versions. */
@NullMarked
package io.headgate.redis.config;

import org.jspecify.annotations.NullMarked;
