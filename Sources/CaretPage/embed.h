// One element of the array in files.c: the file NAME. There is no `#pragma once`, because files.c includes this once
// for each file. `sizeof` needs the second `#embed`, which adds no bytes to the program.
{
    NAME,
    (const unsigned char[]){
#embed NAME
    },
    sizeof (const unsigned char[]){
#embed NAME
    },
},
#undef NAME
