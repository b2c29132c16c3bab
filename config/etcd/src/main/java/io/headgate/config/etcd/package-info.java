/** Policies that servers and applications share through etcd. */
@NullMarked
package io.headgate.config.etcd;

import org.jspecify.annotations.NullMarked;
