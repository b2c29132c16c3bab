/** Connections to the nodes of a Redis Cluster, and which node a call is sent to. */
@NullMarked
package io.headgate.redis.internal.cluster;

import org.jspecify.annotations.NullMarked;
