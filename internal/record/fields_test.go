package record_test

import "reflect"

// fieldsOf returns the names of the exported fields of a struct.
func fieldsOf(value any) (names []string) {
	of := reflect.TypeOf(value)
	for i := range of.NumField() {
		if f := of.Field(i); f.IsExported() {
			names = append(names, f.Name)
		}
	}
	return names
}
