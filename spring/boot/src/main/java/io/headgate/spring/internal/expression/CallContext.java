package io.headgate.spring.internal.expression;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.ConstructorResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.IndexAccessor;
import org.springframework.expression.MethodResolver;
import org.springframework.expression.OperatorOverloader;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypeComparator;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.TypeLocator;
import org.springframework.expression.TypedValue;

/**
 * The variables of one evaluation, and otherwise a shared context, which caches what it finds out about types. An expression cannot assign
 * anything.
 */
record CallContext(EvaluationContext shared, Function<String, @Nullable Object> variables)
        implements EvaluationContext {

    @Override
    public @Nullable Object lookupVariable(String name) {
        return variables.apply(name);
    }

    @Override
    public void setVariable(String name, @Nullable Object value) {
        throw new UnsupportedOperationException("an expression cannot set the variable " + name);
    }

    @Override
    public boolean isAssignmentEnabled() {
        return false;
    }

    @Override
    public TypedValue getRootObject() {
        return shared.getRootObject();
    }

    @Override
    public List<PropertyAccessor> getPropertyAccessors() {
        return shared.getPropertyAccessors();
    }

    @Override
    public List<IndexAccessor> getIndexAccessors() {
        return shared.getIndexAccessors();
    }

    @Override
    public List<ConstructorResolver> getConstructorResolvers() {
        return shared.getConstructorResolvers();
    }

    @Override
    public List<MethodResolver> getMethodResolvers() {
        return shared.getMethodResolvers();
    }

    @Override
    public @Nullable BeanResolver getBeanResolver() {
        return shared.getBeanResolver();
    }

    @Override
    public TypeLocator getTypeLocator() {
        return shared.getTypeLocator();
    }

    @Override
    public TypeConverter getTypeConverter() {
        return shared.getTypeConverter();
    }

    @Override
    public TypeComparator getTypeComparator() {
        return shared.getTypeComparator();
    }

    @Override
    public OperatorOverloader getOperatorOverloader() {
        return shared.getOperatorOverloader();
    }
}
