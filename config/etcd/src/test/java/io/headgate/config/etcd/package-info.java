@NullMarked
package io.headgate.config.etcd;

import org.jspecify.annotations.NullMarked;
